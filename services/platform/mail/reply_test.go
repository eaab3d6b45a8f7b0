package mail

import (
	"errors"
	"io"
	"net/textproto"
	"strconv"
	"testing"
)

// TestRepliesOfMailServers: what they say to us, with addresses replaced, and what it means for the email.
func TestRepliesOfMailServers(t *testing.T) {
	for _, tc := range []struct {
		server string
		at     phase
		reply  string
		want   verdict
	}{
		{"Gmail", phaseRcpt, "550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. gsmtp", bounced},
		{"Gmail", phaseRcpt, "550 5.2.1 The email account that you tried to reach is disabled. gsmtp", bounced},
		{"Gmail", phaseRcpt, "552 5.2.2 The recipient's inbox is out of storage space and inactive. gsmtp", bounced},
		{"Gmail", phaseRcpt, "452 4.2.2 The recipient's inbox is out of storage space. gsmtp", deferred},
		{"Gmail", phaseRcpt, "450 4.2.1 The user you are trying to contact is receiving email too quickly. Please resend your message at a later time. gsmtp", deferred},
		{"Gmail", phaseRcpt, "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. gsmtp", deferred},
		{"Gmail", phaseData, "550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to https://support.google.com/a/answer/166852 gsmtp", blocked},
		{"Gmail", phaseData, "550 5.7.1 Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked. gsmtp", blocked},
		{"Gmail", phaseData, "550 5.7.26 Unauthenticated email from fledge.example is not accepted due to domain's DMARC policy. gsmtp", blocked},
		{"Gmail", phaseData, "421 4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address. gsmtp", blocked},
		{"Gmail", phaseConnect, "535 5.7.8 Username and Password not accepted. gsmtp", blocked},
		{"Gmail", phaseConnect, "454 4.7.0 Too many login attempts, please try again later. gsmtp", blocked},
		{"Gmail", phaseMail, "530 5.7.0 Authentication Required. gsmtp", blocked},
		{"Workspace relay", phaseRcpt, "450 4.2.1 Peak SMTP relay limit exceeded for this customer. This is a temporary error. gsmtp", blocked},
		{"Workspace relay", phaseRcpt, "550 5.4.5 Daily SMTP relay sending limit exceeded for this user. gsmtp", blocked},
		{"Workspace relay", phaseMail, "550 5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address you've registered in your Workspace SMTP Relay service doesn't match the domain of the account this email is being sent from. gsmtp", blocked},
		{"Workspace relay", phaseConnect, "421 4.7.0 Try again later, closing connection. (EHLO) gsmtp", blocked},
		{"SES", phaseData, "554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: ada@example.test", blocked},
		{"SES", phaseData, "554 Message rejected: Sending suspended for this account. For more information, please check the inbox of the email address associated with your AWS account.", blocked},
		{"SES", phaseData, "554 Message rejected: Sending paused for this account.", blocked},
		{"SES", phaseData, "454 Throttling failure: Maximum sending rate exceeded.", blocked},
		{"SES", phaseData, "454 Throttling failure: Daily message quota exceeded.", blocked},
		{"SES", phaseConnect, "535 Authentication Credentials Invalid", blocked},
		{"SES", phaseConnect, "421 Too many concurrent SMTP connections", blocked},
		{"SES", phaseData, "451 Temporary service failure", deferred},
		{"SES", phaseData, "552 Message is too long.", deferred},
		{"SES", phaseData, "501 Invalid MAIL FROM address provided", blocked},
		{"SES", phaseData, "554 Transaction failed: Local address contains control or whitespace", deferred},
		{"Postmark", phaseConnect, "535 5.7.8 Error: authentication failed", blocked},
		{"Postmark", phaseMail, "550 5.7.1 Sender signature not confirmed", blocked},
		{"Postmark", phaseRcpt, "550 5.7.1 Your account is pending approval. Recipients must share the domain of the From address.", blocked},
		{"Exchange Online", phaseRcpt, "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.test not found by SMTP address lookup", bounced},
		{"Exchange Online", phaseRcpt, "550 5.4.1 Recipient address rejected: Access denied. [AS(201806281)]", bounced},
		{"Exchange Online", phaseData, "550 5.4.310 DNS domain example.test does not exist [Message=InfoDomainNonexistent]", bounced},
		{"Exchange Online", phaseRcpt, "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed", bounced},
		{"Exchange Online", phaseData, "554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded", bounced},
		{"Exchange Online", phaseData, "554 5.2.252 SendAsDenied; hello@fledge.example not allowed to send as news@fledge.example", blocked},
		{"Exchange Online", phaseData, "550 5.1.8 Access denied, bad outbound sender", blocked},
		{"Exchange Online", phaseData, "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP", blocked},
		{"Exchange Online", phaseData, "432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded", blocked},
		{"Exchange Online", phaseRcpt, "451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS77712)", deferred},
		{"Exchange Online", phaseConnect, "535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.", blocked},
		{"Exchange 2019", phaseRcpt, "550 5.7.1 RESOLVER.RST.AuthRequired; authentication required", bounced},
		{"Exchange 2019", phaseRcpt, "550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized", bounced},
		{"Exchange 2019", phaseRcpt, "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", blocked},
		{"Exchange 2019", phaseRcpt, "452 4.3.1 Insufficient system resources", blocked},
		{"Outlook.com", phaseRcpt, "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).", bounced},
		{"Outlook.com", phaseMail, "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).", blocked},
		{"Postfix", phaseRcpt, "550 5.1.1 <ada@example.test>: Recipient address rejected: User unknown in virtual mailbox table", bounced},
		{"Postfix", phaseRcpt, "450 4.1.1 <ada@example.test>: Recipient address rejected: unverified address: Address verification in progress", deferred},
		{"Postfix", phaseRcpt, "450 4.2.0 <ada@example.test>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.test.html", deferred},
		{"Postfix", phaseRcpt, "554 5.7.1 <ada@example.test>: Relay access denied", blocked},
		{"Postfix", phaseRcpt, "504 5.5.2 <fledge-waitlist-5c9d>: Helo command rejected: need fully-qualified hostname", blocked},
		{"Postfix", phaseRcpt, "450 4.7.1 <mail.fledge.example>: Helo command rejected: Host not found", blocked},
		{"Postfix", phaseRcpt, "450 4.1.8 <hello@fledge.example>: Sender address rejected: Domain not found", blocked},
		{"Postfix", phaseRcpt, "450 4.1.2 <ada@exampel.test>: Recipient address rejected: Domain not found", deferred},
		{"Postfix", phaseRcpt, "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1", blocked},
		{"Postfix", phaseRcpt, "554 5.7.1 <ada@example.test>: Recipient address rejected: Access denied", bounced},
		{"Postfix", phaseData, "552 5.3.4 Message size exceeds fixed limit", deferred},
		{"Postfix", phaseData, "452 4.3.1 Insufficient system storage", blocked},
		{"Postfix", phaseData, "451 4.3.0 Error: queue file write error", blocked},
		{"Postfix", phaseRcpt, "501 5.1.3 Bad recipient address syntax", bounced},
		{"iCloud", phaseRcpt, "550 5.1.1 <ada@privaterelay.appleid.com>: user not found", bounced},
		{"iCloud", phaseRcpt, "450 4.7.1 <mail.fledge.example>: Helo command rejected: Host not found", blocked},
		{"iCloud", phaseData, "554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137", blocked},
		{"iCloud", phaseRcpt, "552 5.2.2 <ada@icloud.com>: user over quota", bounced},
		{"Yahoo", phaseData, "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.com) [0]", bounced},
		{"Yahoo", phaseMail, "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints", blocked},
		{"an old server", phaseRcpt, "550 No such mailbox", bounced},
		{"Zoho", phaseData, "550 5.4.6 Unusual sending activity detected. Please try after sometime or contact support.", blocked},
		{"Zoho", phaseData, "550 5.4.6 Routing loop detected", deferred},
		{"Exchange Online", phaseData, "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message due to a permanent exception with message The message can't be submitted because the sender's submission quota was exceeded.", blocked},
		{"Exchange Online", phaseData, "554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message due to a permanent exception with message Cannot submit message.", blocked},
		{"Exchange Online", phaseData, "554 5.2.0 STOREDRV.Submission.Exception:OutboundSpamException; Failed to process message due to a permanent exception with message WASCL UserAction verdict is RefuseQuota.", blocked},
		{"Exchange Online", phaseData, "554 5.2.0 STOREDRV.Deliver.Exception:AccountDisabledException; Failed to process message due to a permanent exception", bounced},
		{"cPanel", phaseRcpt, "550 Domain fledge.example has exceeded the max defers and failures per hour (100/100 (100%)) allowed. Message discarded.", blocked},
		{"cPanel", phaseRcpt, "550 Domain fledge.example has exceeded the max emails per hour (200/200 (100%)) allowed. Message discarded.", blocked},
		{"cPanel", phaseRcpt, "550 Outgoing mail from \"fledge.example\" has been suspended.", blocked},
		{"Postfix", phaseRcpt, "550 5.1.0 <hello@fledge.example>: Sender address rejected: User unknown in virtual mailbox table", blocked},
		{"Postfix", phaseRcpt, "450 4.2.0 <hello@fledge.example>: Sender address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.test.html", deferred},
		{"Sendmail", phaseRcpt, "550 Domain of sender address does not exist", blocked},
		{"a relay", phaseRcpt, "550 You have reached your monthly email sending quota.", blocked},
		{"a relay", phaseRcpt, "550 You've reached the limit of emails for this hour.", blocked},
		{"an old server", phaseRcpt, "550 The recipient has reached the quota", bounced},
		{"an old server", phaseRcpt, "552 5.2.2 The recipient's mailbox has reached the quota limit", bounced},
		{"an old server", phaseRcpt, "452 4.2.2 The mailbox has reached the limit of its quota", deferred},
		{"Exim", phaseRcpt, "550 Verification failed for <hello@fledge.example>\nCalled:   192.0.2.1\nSent:     RCPT TO:<hello@fledge.example>\nResponse: 550 No such user here\nSender verify failed", blocked},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nFailure sending mail. Try again later.", blocked},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nSender address is not allowed.", blocked},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nReject due to policy restrictions.\nFor explanation visit https://postmaster.gmx.net/en/case?c=hp", blocked},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nFor explanation visit https://postmaster.gmx.net/en/error-messages?c=sip", bounced},
		{"qmail", phaseRcpt, "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", blocked},
		{"qmail", phaseRcpt, "553 sorry, your envelope is in my badlist (#5.7.1)", blocked},
		{"qmail", phaseRcpt, "511 sorry, no mailbox here by that name (#5.1.1 - chkuser)", bounced},
		{"a relay", phaseRcpt, "550 Account suspended", blocked},
		{"a relay", phaseRcpt, "550 Your account is disabled", blocked},
		{"a relay", phaseRcpt, "550 Your email account is inactive", blocked},
		{"a relay", phaseRcpt, "550 5.2.1 Your account has been suspended", blocked},
		{"a relay", phaseRcpt, "550 Maximum number of emails per day reached", blocked},
		{"a relay", phaseRcpt, "550 Access denied", blocked},
		{"an old server", phaseRcpt, "550 <ada@example.test>: account is disabled", bounced},
		{"an old server", phaseRcpt, "550 5.0.0 No", bounced},
		{"an old server", phaseData, "554 Transaction failed", deferred},
		{"an old server", phaseData, "554 Refused (5.1.66.255)", deferred},
		{"an old server", phaseData, "554 Refused (5.1.66.255 port 25)", deferred},
		{"an old server", phaseData, "554 5.1.66.255: refused", deferred},
		{"an old server", phaseData, "554 5.1.1. Nobody", bounced},
		{"an old server", phaseData, "554 (5.1.1)", bounced},
		{"Gmail", phaseRcpt, "450 4.7.28 Gmail has detected this message exceeded its quota for sending messages", blocked},
		{"Gmail", phaseData, "451 4.7.26 This mail has been rate limited because it is unauthenticated.", blocked},
		{"Gmail", phaseData, "451 4.7.23 The sending IP address does not match", blocked},
		{"Gmail", phaseConnect, "534 5.7.9 Application-specific password required.", blocked},
		{"Exchange Online", phaseData, "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients", blocked},
		{"Exchange Online", phaseData, "550 5.7.509 Access denied, sending domain fledge.example does not pass DMARC verification and has a DMARC policy of reject", blocked},
		{"a domain without mail", phaseRcpt, "556 5.1.10 Recipient address has null MX", bounced},
		{"Postfix", phaseRcpt, "452 4.5.3 Error: too many recipients", blocked},
		{"Postfix", phaseRcpt, "554 5.4.6 Error: too many hops", deferred},
		{"an old server", phaseRcpt, "551 User not local; please try <ada@new.example>", bounced},
		{"an old server", phaseData, "552 Requested mail action aborted: exceeded storage allocation", bounced},
		{"an old server", phaseRcpt, "421 4.2.2 mailbox full", blocked},
		{"QQ", phaseRcpt, "550 Ip frequency limited. http://service.mail.qq.com/", blocked},
		{"QQ", phaseRcpt, "550 Domain frequency limited", blocked},
		{"QQ", phaseData, "550 Mail content denied", deferred},
		{"QQ", phaseRcpt, "550 Mailbox unavailable or access denied [xyz IP: 192.0.2.1].", bounced},
		{"163.com", phaseRcpt, "550 User not found: ada@163.com", bounced},
		{"free.fr", phaseRcpt, "550 5.2.1 This mailbox has been blocked due to inactivity", bounced},
		{"Orange", phaseRcpt, "550 5.1.0 Emetteur invalide. Invalid Sender. OFR_108 [108]", blocked},
		{"Orange", phaseRcpt, "550 Adresse d'au moins un destinataire invalide", bounced},
		{"a Spanish server", phaseRcpt, "550 Remitente rechazado", blocked},
		{"a Spanish server", phaseRcpt, "550 Usuario desconocido", bounced},
		{"a German server", phaseRcpt, "550 Ihre IP wurde abgelehnt", blocked},
		{"a German server", phaseRcpt, "550 Benutzer unbekannt (IP 192.0.2.1)", bounced},
		{"an old server", phaseRcpt, "550 IP 192.0.2.1 refused", blocked},
		{"an old server", phaseRcpt, "550 The sender's mailbox is blocked", blocked},
		{"T-Online", phaseRcpt, "550 Unbekannter Empfaenger", bounced},
		{"T-Online", phaseConnect, "554 IP=192.0.2.1 - A problem occurred.", blocked},
		{"Resend", phaseData, "450 You can only send testing emails to your own email address", blocked},
		{"Mimecast", phaseRcpt, "550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [xyz]", bounced},
		{"hMailServer", phaseRcpt, "550 Delivery is not allowed to this address.", blocked},
		{"an old server", phaseRcpt, "451 Requested action aborted: local error in processing", deferred},
		{"Exchange Online", phaseData, "550 5.4.1 All recipient addresses rejected : Access denied [DB5EUR03FT018.eop-EUR03.prod.protection.outlook.com]", bounced},
		{"Outlook.com", phaseData, "554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour.", deferred},
		{"Outlook.com", phaseData, "554 5.2.121 The sender has exceeded the limit for the number of messages they can send to this recipient per hour.", deferred},
		{"Gmail", phaseRcpt, "550 5.2.1 The user you are trying to contact is receiving mail at a\n5.2.1 rate that prevents additional messages from being delivered. gsmtp", deferred},
		{"Gmail", phaseRcpt, "550 5.7.1 The user you are trying to contact is unknown or the mailbox does\n5.7.1 not exist.", bounced},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nInvalid DNS MX or A/AAAA resource record\nFor explanation visit https://postmaster.gmx.net/en/error-messages", blocked},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nIP address is block listed.", blocked},
		{"web.de", phaseRcpt, "550 <ada@web.de>: Invalid DNS MX or A/AAAA resource record", blocked},
		{"Orange", phaseData, "550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]", deferred},
		{"Comcast", phaseRcpt, "550 5.2.0 <ada@comcast.net> - Recipient unavailable", bounced},
		{"Yahoo", phaseData, "554 delivery error: dd ada@yahoo.com is no longer valid. [-20] - mta4.mail.bf1.yahoo.com", bounced},
		{"Yahoo", phaseData, "554 delivery error: dd Sorry, your message to ada@yahoo.com cannot be delivered. This mailbox is disabled (554.30).", bounced},
		{"Mail.ru", phaseRcpt, "550 Message was not accepted -- invalid mailbox. Local mailbox ada@mail.ru is unavailable: account is disabled", bounced},
		{"Rambler", phaseRcpt, "540 5.7.1 <ada@rambler.ru>: recipient address rejected: Inactive", bounced},
		{"a relay", phaseRcpt, "550 Mailbox temporarily unavailable", deferred},
		{"a relay", phaseRcpt, "550 Service is busy, please try again later", deferred},
		{"a relay", phaseRcpt, "550 Your IP is temporarily blocked", blocked},
		{"PSBL", phaseRcpt, "550 rejected because 192.0.2.1 is in a black list at psbl.surriel.com\nListed in PSBL, see http://psbl.org/listing?ip=192.0.2.1", blocked},
		{"a relay", phaseRcpt, "550 SMTP AUTH is required for message submission on port 587", blocked},
		{"a French relay", phaseRcpt, "550 Authentification requise", blocked},
		{"cPanel", phaseRcpt, "550 Domain fledge.example has an outgoing mail suspension. Message discarded.", blocked},
		{"Mimecast", phaseRcpt, "550 Exceeding outbound thread limit - https://community.mimecast.com/docs/DOC-1369#550", blocked},
		{"Exim", phaseRcpt, "550 Administrative prohibition", blocked},
		{"an SPF check", phaseRcpt, "550 5.7.1 <ada@example.test>: Recipient address rejected: Please see http://www.openspf.net/Why?s=mfrom;id=hello%40fledge.example;ip=192.0.2.1;r=mx.example.test", blocked},
		{"an SPF check", phaseRcpt, "550 5.7.23 <ada@example.test>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.openspf.net/Why?s=mfrom;id=hello@fledge.example", blocked},
		{"a spam filter", phaseRcpt, "550 <ada@example.test>: Recipient address rejected: SPF_FAIL", blocked},
		{"iCloud", phaseRcpt, "550 5.1.0 <ada@privaterelay.appleid.com>: Recipient address rejected", bounced},
		{"an old server", phaseRcpt, "550 5.1.0 sender.policy+spam@blacklist.example: recipient rejected", bounced},
		{"an SPF check", phaseRcpt, "550 5.7.1 <ada@example.test>: Recipient address rejected: see http://www.openspf.net/Why?s=mfrom;id=hello@fledge.example;ip=192.0.2.1", blocked},
		{"a relay", phaseRcpt, "550 5.7.1 Domain fledge.example is not allowed to send: Account disabled", blocked},
		{"a relay", phaseRcpt, "550 5.2.1 Mailbox unavailable. Sender is not permitted", blocked},
		{"Exchange Online", phaseRcpt, "550 5.7.124 The sender is not allowed to send to this group", bounced},
		{"GMX", phaseRcpt, "550 Requested action not taken: mailbox unavailable\nMail send limit exceeded.", blocked},
	} {
		code, _ := strconv.Atoi(tc.reply[:3])
		got := failed(tc.at, &textproto.Error{Code: code, Msg: tc.reply[4:]})
		if got.verdict != tc.want {
			t.Errorf("%s, %s: %q is judged %d, want %d", tc.server, tc.at, tc.reply, got.verdict, tc.want)
		}
	}
}

func TestWhatReportsSayOfRecipients(t *testing.T) {
	for _, tc := range []struct {
		status, words string
		want          bool
	}{
		{"5.1.1", "550 5.1.1 <ada@example.com>: user unknown", true},
		{"5.1.1", "", true},
		{"5.2.2", "", true},
		{"5.0.0", "550 No such user here", true},
		{"5.0.0", "550 <ada@example.com>: Recipient address rejected", true},
		{"5.0.0", "550-5.0.0 This recipient is\r\n 550-5.0.0 unknown", true},
		{"5.1.0", "550 5.1.0 <hello@fledge.example>: Sender address rejected: User unknown in virtual mailbox table", false},
		{"5.0.0", "554 Transaction failed", false},
		{"5.0.0", "550 Message content rejected", false},
		{"5.0.0", "", false},
		{"5.7.1", "550 5.7.1 Your host is blocked", false},
		{"5.7.1", "550 5.7.1 <ada@example.com>: Recipient address rejected: Please see http://www.openspf.net/Why?s=mfrom;id=hello%40fledge.example;ip=192.0.2.1;r=mx.example.com", false},
		{"5.3.4", "552 5.3.4 Message size exceeds fixed limit", false},
		{"4.2.2", "452 4.2.2 Mailbox full", false},
		{"", "550 No such user here", false},
	} {
		if got := Bounces(tc.status, tc.words); got != tc.want {
			t.Errorf("%s %q: %t", tc.status, tc.words, got)
		}
	}
}

func TestAConnectionThatBreaksIsNotTheEmailsFault(t *testing.T) {
	for _, at := range []phase{phaseConnect, phaseMail, phaseRcpt, phaseData} {
		if got := failed(at, io.ErrUnexpectedEOF); got.verdict != blocked || !errors.Is(got.cause, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %+v", at, got)
		}
	}
}
