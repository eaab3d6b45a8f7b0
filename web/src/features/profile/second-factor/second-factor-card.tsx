import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { ConfirmDialog } from '@/components/app/confirm-dialog'
import { LoadFailure } from '@/components/app/load-failure'
import { PartSkeleton } from '@/components/app/skeleton'
import { StatusBadge } from '@/components/app/status-badge'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { CodeDialog } from '@/features/session/second-factor/code-dialog'
import { useGetSecondFactorQuery } from '@/lib/api/second-factor-api'
import type { SecondFactor } from '@/lib/api/types'
import { focusIfLost } from '@/lib/use-focus-fallback'
import { OthersOffer } from '../sign-in-methods/others-offer'
import type { LastChangeState } from '../sign-in-methods/use-last-change'
import { EnrolDialog } from './enrol-dialog'
import { RecoveryCodes } from './recovery-codes'
import styles from './second-factor-card.module.css'
import { isAsked, useSecondFactor } from './use-second-factor'

const ID = paths.secondFactor.split('#')[1]!

/** The authenticator app of a member of staff: it is set up, gets recovery codes, and is removed. */
export function SecondFactorCard({ change }: { change: LastChangeState }) {
  const query = useGetSecondFactorQuery()
  const factor = useSecondFactor(() => change.note('factor'))
  const { question } = factor
  const heading = useRef<HTMLHeadingElement>(null)
  // Emails, the staff's pages and a fresh sign-in lead here.
  useEffect(() => {
    if (window.location.hash === `#${ID}`) heading.current?.focus()
  }, [])
  // The button that asked may have left with what was removed.
  const refocus = () => focusIfLost(heading.current)
  const close = () => {
    factor.close()
    refocus()
  }
  return (
    <Card aria-labelledby={ID}>
      <CardHead
        id={ID}
        title="Second factor"
        text="A code of an authenticator app that the staff pages can ask for, so that your Google or Apple account alone does not open them."
        headingRef={heading}
      />
      <div className={styles.content}>
        {query.data ? (
          <State is={query.data} factor={factor} />
        ) : query.error ? (
          <LoadFailure
            error={query.error}
            message="Failed to load your second factor"
            retrying={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <PartSkeleton height="3rem" />
        )}
        {change.last?.by === 'factor' && <OthersOffer key={change.last.count} />}
        {factor.error && !question && <Alert problem="second_factor_failed">{factor.error}</Alert>}
      </div>
      {question?.kind === 'enrol' && (
        <EnrolDialog
          enrolment={question.enrolment}
          onAdded={() => void factor.added()}
          onClose={close}
        />
      )}
      {question?.kind === 'codes' && <RecoveryCodes codes={question.codes} onClose={close} />}
      {question?.kind === 'code' && (
        <CodeDialog
          description="Changing your second factor needs a code of it, once after each sign-in."
          onVerified={close}
          onClose={close}
        />
      )}
      <ConfirmDialog
        open={isAsked(question)}
        {...words(question?.kind === 'remove')}
        busy={factor.busy}
        error={factor.error}
        onConfirm={() => void factor.confirm()}
        onClose={() => {
          factor.closeAsked()
          refocus()
        }}
      />
    </Card>
  )
}

interface StateProps {
  is: SecondFactor
  factor: ReturnType<typeof useSecondFactor>
}

function State({ is, factor }: StateProps) {
  if (!is.enrolled) {
    return (
      <>
        <p>
          {is.required
            ? 'You need one to open the staff pages.'
            : 'Nobody is asked for it at present. Set it up now, and you are ready when that changes.'}
        </p>
        <Button
          pending={factor.busy}
          data-event="enrol_second_factor"
          onClick={() => void factor.enrol()}
        >
          Set up an authenticator app
        </Button>
      </>
    )
  }
  return (
    <>
      <p className={styles.state}>
        <StatusBadge tone="positive">Set up</StatusBadge>
        <span>
          {is.recovery_codes
            ? 'You have recovery codes for the day when your phone is away.'
            : 'You have no recovery codes: without your phone, another admin has to help.'}
        </span>
      </p>
      <div className={styles.actions}>
        <Button
          variant="secondary"
          size="dense"
          pending={factor.busy}
          data-event="create_recovery_codes"
          onClick={() => void factor.createCodes()}
        >
          {is.recovery_codes ? 'New recovery codes' : 'Create recovery codes'}
        </Button>
        <Button
          variant="secondary"
          size="dense"
          aria-disabled={factor.busy}
          data-event="ask_remove_second_factor"
          onClick={factor.askToRemove}
        >
          Remove
        </Button>
      </div>
    </>
  )
}

function words(remove: boolean) {
  if (remove) {
    return {
      title: 'Remove your second factor?',
      children:
        'The authenticator app and the recovery codes will no longer work. Where the staff pages need them, you will have to set one up again.',
      action: 'Remove',
      busyAction: 'Removing...',
    }
  }
  return {
    title: 'Please sign in again first',
    children:
      'A second factor can be changed for 15 minutes after signing in, so that nobody else can do it at your desk. You come back here.',
    action: 'Sign in again',
    busyAction: 'One moment...',
    destructive: false,
  }
}
