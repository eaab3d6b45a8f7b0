import { useEffect, useRef } from 'react'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { Button } from '@/components/button'
import { focusIfLost } from '@/lib/use-focus-fallback'
import { useGrace } from './use-grace'

interface DeletionCardProps {
  /** Whether the question is being asked. */
  asking: boolean
  onAsk: () => void
}

/** The way to delete the account: quiet, at the end of the profile. */
export function DeletionCard({ asking, onAsk }: DeletionCardProps) {
  const grace = useGrace()
  const card = useRef<HTMLElement>(null)
  const asker = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!asking) return
    // Behind the question is the part of the page that it belongs to, also when a link has asked it.
    card.current?.scrollIntoView({ block: 'nearest' })
    const opener = asker.current
    return () => {
      // The browser gives the focus back to what opened the dialog; a link has left nothing to give it to.
      focusIfLost(opener)
    }
  }, [asking])

  return (
    <Card ref={card} id="delete-account" aria-labelledby="delete-account-title">
      <CardHead
        id="delete-account-title"
        title="Delete account"
        text={`Erases your account and everything in it.${grace ? ` You have ${grace} to change your mind.` : ''}`}
      >
        <Button
          ref={asker}
          variant="secondary"
          size="dense"
          data-event="ask_delete_account"
          onClick={onAsk}
        >
          Delete account
        </Button>
      </CardHead>
    </Card>
  )
}
