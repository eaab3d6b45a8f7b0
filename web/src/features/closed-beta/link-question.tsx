import { useEffect } from 'react'
import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { LinkToken } from './use-link-token'

interface Words {
  title: string
  text: string
}

interface LinkQuestionProps {
  link: LinkToken
  asked: Words
  /** The button that answers yes, and what the analytics call it. */
  action: string
  event: string
  onAnswer: (token: string) => void
  answer: { isLoading: boolean; isSuccess: boolean; error?: unknown }
  done: Words
}

/** Where the link in an email leads. Programs that open links press no buttons. */
export function LinkQuestion(props: LinkQuestionProps) {
  const { link, asked, action, event, onAnswer, answer, done } = props
  const { token, drop } = link
  const { isLoading, isSuccess, error } = answer

  useEffect(() => {
    if (isSuccess) drop()
  }, [isSuccess, drop])

  if (isSuccess || link.done) return <NoticeScreen {...done} announce />
  if (token === null) {
    return (
      <NoticeScreen
        title="This link is not complete"
        text="Please open it from the email again."
        announce
      />
    )
  }
  return (
    <NoticeScreen {...asked}>
      {error !== undefined && <Alert>{problemText(error)}</Alert>}
      <Button
        pending={isLoading}
        aria-disabled={token === undefined}
        data-event={event}
        onClick={() => token && onAnswer(token)}
      >
        {action}
      </Button>
    </NoticeScreen>
  )
}
