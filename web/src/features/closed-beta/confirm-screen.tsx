'use client'

import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { Button } from '@/components/button'
import { SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useConfirmWaitlistMutation } from '@/lib/api/my-waitlist-api'
import { useLinkToken } from './use-link-token'

/** /confirm-waitlist#…: where the link in the email after a sign-up leads. Programs that open links press no buttons. */
export function ConfirmScreen() {
  const token = useLinkToken()
  return <Confirm key={token} token={token} />
}

function Confirm({ token }: { token: string }) {
  const [confirm, { isLoading, isSuccess, error }] = useConfirmWaitlistMutation()

  if (isSuccess) {
    return (
      <NoticeScreen
        title="You're on the waitlist!"
        text="We'll notify you by email when your place is ready."
        announce
      />
    )
  }
  return (
    <NoticeScreen
      title="Join the waitlist?"
      text="Confirm that this is your email address, and we'll write to it when your place is ready."
    >
      {error && <Alert>{problemText(error, SOMETHING_WRONG)}</Alert>}
      <Button
        variant="primary"
        pending={isLoading}
        data-event="confirm_waitlist"
        onClick={() => void confirm(token)}
      >
        Confirm my address
      </Button>
    </NoticeScreen>
  )
}
