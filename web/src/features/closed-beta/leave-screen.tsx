'use client'

import { useLeaveWaitlistMutation } from '@/lib/api/my-waitlist-api'
import { LinkQuestion } from './link-question'
import { type LinkToken, useLinkToken } from './use-link-token'

/** /leave-waitlist#…: where the links in emails of the waitlist lead. */
export function LeaveScreen() {
  const link = useLinkToken('leave')
  return <Leave key={link.token} link={link} />
}

function Leave({ link }: { link: LinkToken }) {
  const [leave, answer] = useLeaveWaitlistMutation()
  return (
    <LinkQuestion
      link={link}
      asked={{
        title: 'Leave the waitlist?',
        text: "We won't send emails about the closed beta to this address any more.",
      }}
      action="Take me off the list"
      event="leave_waitlist"
      onAnswer={(token) => void leave(token)}
      answer={answer}
      done={{
        title: "You're off the list",
        text: "We won't send emails about the closed beta to this address any more. If you have access, it stays; you can delete your account in your profile.",
      }}
    />
  )
}
