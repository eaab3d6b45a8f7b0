'use client'

import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { Button } from '@/components/button'
import { SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useLeaveWaitlistMutation } from '@/lib/api/my-waitlist-api'
import { useLinkToken } from './use-link-token'

/** /leave-waitlist#…: where the links in emails of the waitlist lead. Programs that open links press no buttons. */
export function LeaveScreen() {
  const token = useLinkToken()
  return <Leave key={token} token={token} />
}

function Leave({ token }: { token: string }) {
  const [leave, { isLoading, isSuccess, error }] = useLeaveWaitlistMutation()

  if (isSuccess) {
    return (
      <NoticeScreen
        title="You're off the list"
        text="We won't send emails about the closed beta to this address any more. If you have access, it stays; you can delete your account in your profile."
        announce
      />
    )
  }
  return (
    <NoticeScreen
      title="Leave the waitlist?"
      text="We won't send emails about the closed beta to this address any more."
    >
      {error && <Alert>{problemText(error, SOMETHING_WRONG)}</Alert>}
      <Button
        variant="primary"
        pending={isLoading}
        data-event="leave_waitlist"
        onClick={() => void leave(token)}
      >
        Take me off the list
      </Button>
    </NoticeScreen>
  )
}
