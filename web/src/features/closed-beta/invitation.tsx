import { useEffect } from 'react'
import { Alert } from '@/components/app/alert'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Button } from '@/components/button'
import { RetryButton } from '@/components/retry-button'
import { answerOf, problemText } from '@/lib/api/problem'
import { useClaimInvitationMutation, useGetInvitationQuery } from '@/lib/api/my-waitlist-api'
import { Address } from './address'
import { Display } from './display'
import styles from './display.module.css'
import { UseAnotherAddress } from './use-another-address'

interface InvitationProps {
  claim: string
  /** The address that is signed in. */
  email: string
  /** The server refuses the invitation for good, and says why. */
  onRefused: (why: string) => void
  onNotNow: () => void
  /** Called before the person is signed out, to use another address. */
  onLeave: () => void
}

/** Signed in under another address than the one that was invited: is the invitation for this account? */
export function Invitation({ claim, email, onRefused, onNotNow, onLeave }: InvitationProps) {
  const { currentData, error, isFetching, refetch } = useGetInvitationQuery(claim, {
    refetchOnMountOrArgChange: true,
  })
  const [use, { error: failure, isLoading: using }] = useClaimInvitationMutation()
  const refusal = refusalOf(error) ?? refusalOf(failure)

  useEffect(() => {
    if (refusal) onRefused(refusal)
  }, [refusal, onRefused])

  const notNow = (
    <Button variant="ghost" data-event="invitation_not_now" onClick={onNotNow}>
      Not now
    </Button>
  )
  if (error && !refusal) {
    return (
      <Display title="Closed Beta" vanes={1}>
        <p role="status">We can&apos;t look your invitation up right now.</p>
        <RetryButton retrying={isFetching} onRetry={() => void refetch()} />
        {notNow}
      </Display>
    )
  }
  if (!currentData) {
    return <WaitingScreen text="Checking your invitation..." fill="calc(100dvh - 5rem)" />
  }
  return (
    <Display title="Use your invitation?" vanes={2}>
      <p>
        This invitation was sent to <Address email={currentData.email} />. You are signed in as{' '}
        <Address email={email} />. Use it with this account?
      </p>
      <p className={styles.small}>Once it is used, it cannot be moved to another account.</p>
      {failure && !refusal && <Alert>{problemText(failure)}</Alert>}
      <Button
        size="large"
        pending={using}
        data-event="use_invitation"
        onClick={() => void use(claim)}
      >
        {using ? 'One moment...' : 'Use it with this account'}
      </Button>
      <UseAnotherAddress onLeave={onLeave} />
      {notNow}
    </Display>
  )
}

/** What the server says about an invitation that cannot be used; trying again would not help. */
function refusalOf(error: unknown): string | undefined {
  const refused = [400, 404, 409].includes(answerOf(error)?.status ?? 0)
  return refused ? problemText(error) : undefined
}
