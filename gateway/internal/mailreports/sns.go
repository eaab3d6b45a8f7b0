package mailreports

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // SignatureVersion 1 of SNS; topics can be set to 2
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/outside"
	"fledge.dev/services/platform/service"
)

var (
	// topicARN has the partition and the region of the topic, which say where SNS is.
	topicARN = regexp.MustCompile(`^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,32}):\d{12}:[A-Za-z0-9_-]{1,256}$`)
	// certificatePath is that of every certificate by which SNS signs.
	certificatePath = regexp.MustCompile(`^/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$`)
	errAway         = fault.New(fault.Unavailable, "sns_unavailable", "Amazon SNS does not answer. Please try again.")
)

const (
	snsTimeout = 3 * time.Second
	// maxAge is for how long SNS tries to deliver a message at most, an hour, and how far our clocks may be apart. Who sends
	// one again later is not SNS.
	maxAge = time.Hour + tolerance
	// maxCertificate is many times the size of one, maxCertificates the number that is kept.
	maxCertificate, maxCertificates = 64 << 10, 16
)

// sns takes messages of some topics. What is fetched comes from the host of the topic's region
// alone, whose name is made of our own setting.
type sns struct {
	topics []string
	http   *http.Client
	// fetches bounds how often others can make us ask SNS.
	fetches *limits.Buckets[string]
	clock   clock.Clock
	log     *slog.Logger

	mu           sync.Mutex
	certificates map[string]*x509.Certificate
}

func newSNS(topics []string, rt *service.Runtime) *sns {
	return &sns{
		topics: topics, clock: rt.Clock, log: rt.Log, certificates: map[string]*x509.Certificate{},
		fetches: limits.NewBuckets[string](limits.Rate{PerMinute: 30, Burst: 10}, rt.Clock),
		http:    outside.Client(snsTimeout),
	}
}

// message is what SNS posts.
type message struct {
	Type             string `json:"Type"`
	MessageID        string `json:"MessageId"`
	TopicARN         string `json:"TopicArn"`
	Subject          string `json:"Subject"`
	Message          string `json:"Message"`
	Timestamp        string `json:"Timestamp"`
	SignatureVersion string `json:"SignatureVersion"`
	Signature        string `json:"Signature"`
	SigningCertURL   string `json:"SigningCertURL"`
	SubscribeURL     string `json:"SubscribeURL"`
	Token            string `json:"Token"`
}

// The types of messages.
const (
	notification = "Notification"
	subscribed   = "SubscriptionConfirmation"
	unsubscribed = "UnsubscribeConfirmation"
)

// read takes text/plain, too: so does SNS declare its JSON.
func (s *sns) read(c *gin.Context) (r report, err error) {
	raw, err := jsonbody.ReadAll(c.Writer, c.Request, route.MaxEvent)
	if err != nil {
		return r, err
	}
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return r, errPayload.Wrap(err)
	}
	if !slices.Contains(s.topics, m.TopicARN) {
		return r, errSignature.Wrap(errors.New("mailreports: another topic"))
	}
	ctx := c.Request.Context()
	if err := s.verify(ctx, m); err != nil {
		return r, err
	}
	switch m.Type {
	case notification:
		return readSES(m.Message, s.clock)
	case subscribed:
		r.count(ignored)
		return r, s.confirm(ctx, m)
	default:
		s.log.WarnContext(ctx, "Amazon SNS no longer reports on emails: the subscription was ended", "topic", m.TopicARN)
		r.count(ignored)
		return r, nil
	}
}

// host is where SNS is for the topic, whose ARN is one of ours.
func host(topic string) string {
	parts := topicARN.FindStringSubmatch(topic)
	if parts[1] == "aws-cn" {
		return "sns." + parts[2] + ".amazonaws.com.cn"
	}
	return "sns." + parts[2] + ".amazonaws.com"
}

// signed is what the signature is made of: names and values in the order of the names.
func (m message) signed() (string, error) {
	fields := []string{"Message", m.Message, "MessageId", m.MessageID}
	switch m.Type {
	case notification:
		if m.Subject != "" {
			fields = append(fields, "Subject", m.Subject)
		}
	case subscribed, unsubscribed:
		fields = append(fields, "SubscribeURL", m.SubscribeURL)
	default:
		return "", fmt.Errorf("mailreports: SNS has no messages of type %q", m.Type)
	}
	fields = append(fields, "Timestamp", m.Timestamp)
	if m.Type != notification {
		fields = append(fields, "Token", m.Token)
	}
	fields = append(fields, "TopicArn", m.TopicARN, "Type", m.Type)
	return strings.Join(fields, "\n") + "\n", nil
}

func (s *sns) verify(ctx context.Context, m message) error {
	text, err := m.signed()
	if err != nil {
		return errSignature.Wrap(err)
	}
	sent, err := time.Parse(time.RFC3339, m.Timestamp)
	if err != nil {
		return errSignature.Wrap(err)
	}
	if age := s.clock.Now().Sub(sent); age > maxAge || age < -tolerance {
		return errSignature.Wrap(errors.New("mailreports: the message is of another time"))
	}
	var hash crypto.Hash
	var sum []byte
	switch m.SignatureVersion {
	case "1":
		digest := sha1.Sum([]byte(text)) //nolint:gosec // as above
		hash, sum = crypto.SHA1, digest[:]
	case "2":
		digest := sha256.Sum256([]byte(text))
		hash, sum = crypto.SHA256, digest[:]
	default:
		return errSignature.Wrap(fmt.Errorf("mailreports: SignatureVersion %q", m.SignatureVersion))
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if err != nil {
		return errSignature.Wrap(err)
	}
	u, err := url.Parse(m.SigningCertURL)
	if err != nil || u.String() != "https://"+host(m.TopicARN)+u.Path || !certificatePath.MatchString(u.Path) {
		return errSignature.Wrap(errors.New("mailreports: the certificate is not at SNS"))
	}
	certificate, err := s.certificate(ctx, u.String())
	if err != nil {
		return err
	}
	if now := s.clock.Now(); now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return errSignature.Wrap(errors.New("mailreports: the certificate is not valid now"))
	}
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	if !ok {
		return errSignature.Wrap(errors.New("mailreports: the certificate has no RSA key"))
	}
	if err := rsa.VerifyPKCS1v15(key, hash, sum, signature); err != nil {
		return errSignature.Wrap(err)
	}
	return nil
}

// certificate is kept from the first time on; SNS gives a new one a new name.
func (s *sns) certificate(ctx context.Context, address string) (*x509.Certificate, error) {
	s.mu.Lock()
	known, ok := s.certificates[address]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	raw, err := s.get(ctx, address)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errSignature.Wrap(errors.New("mailreports: no certificate"))
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, errSignature.Wrap(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.certificates) >= maxCertificates {
		clear(s.certificates)
	}
	s.certificates[address] = certificate
	return certificate, nil
}

// confirm makes SNS send to us from now on. The address is our own: that in the message might lead
// anywhere.
func (s *sns) confirm(ctx context.Context, m message) error {
	query := url.Values{"Action": {"ConfirmSubscription"}, "TopicArn": {m.TopicARN}, "Token": {m.Token}}
	if _, err := s.get(ctx, "https://"+host(m.TopicARN)+"/?"+query.Encode()); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "Amazon SNS reports on emails from now on", "topic", m.TopicARN)
	return nil
}

func (s *sns) get(ctx context.Context, address string) ([]byte, error) {
	if _, err := s.fetches.Take("sns"); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, errAway.Wrap(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxCertificate))
	switch {
	case err != nil, resp.StatusCode >= http.StatusInternalServerError:
		return nil, errAway.Wrap(fmt.Errorf("mailreports: SNS answered %d: %w", resp.StatusCode, err))
	case resp.StatusCode != http.StatusOK:
		return nil, errSignature.Wrap(fmt.Errorf("mailreports: SNS answered %d", resp.StatusCode))
	}
	return raw, nil
}
