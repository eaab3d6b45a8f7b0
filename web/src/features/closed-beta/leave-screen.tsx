'use client'

import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { Button } from '@/components/button'
import { SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useLeaveWaitlistMutation } from '@/lib/api/waitlist-api'

/** /leave-waitlist#…: where the link in an approval email leads. Programs that open links press no buttons. */
export function LeaveScreen() {
  const token = useRef('')
  const [leave, { isLoading, isSuccess, error }] = useLeaveWaitlistMutation()

  useEffect(() => {
    const { hash, pathname } = window.location
    if (!hash) return
    token.current = hash.slice(1)
    // The link may be copied from the address, or stay in the history.
    window.history.replaceState(window.history.state, '', pathname)
  }, [])

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
        onClick={() => void leave(token.current)}
      >
        Take me off the list
      </Button>
    </NoticeScreen>
  )
}
