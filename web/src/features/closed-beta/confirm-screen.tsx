'use client'

import { useConfirmWaitlistMutation } from '@/lib/api/my-waitlist-api'
import { LinkQuestion } from './link-question'
import { type LinkToken, useLinkToken } from './use-link-token'

/** /confirm-waitlist#…: where the link in the email after a sign-up leads. */
export function ConfirmScreen() {
  const link = useLinkToken('confirm')
  return <Confirm key={link.token} link={link} />
}

function Confirm({ link }: { link: LinkToken }) {
  const [confirm, answer] = useConfirmWaitlistMutation()
  return (
    <LinkQuestion
      link={link}
      asked={{
        title: 'Join the waitlist?',
        text: "Confirm that this is your email address, and we'll write to it when your place is ready.",
      }}
      action="Confirm my address"
      event="confirm_waitlist"
      onAnswer={(token) => void confirm(token)}
      answer={answer}
      done={{
        title: "You're on the waitlist!",
        text: "We'll notify you by email when your place is ready.",
      }}
    />
  )
}
