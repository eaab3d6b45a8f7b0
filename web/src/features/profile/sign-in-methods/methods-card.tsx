import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { ConfirmDialog } from '@/components/app/confirm-dialog'
import { providers } from '@/components/app/provider-buttons/providers'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { useAuth } from '@/features/session/use-auth'
import { focusIfLost } from '@/lib/use-focus-fallback'
import { titled } from '@/lib/words'
import { MethodRow } from './method-row'
import styles from './methods-card.module.css'
import { OthersOffer } from './others-offer'
import type { LastChangeState } from './use-last-change'
import { type Question, useMethods } from './use-methods'

const ID = paths.signInMethods.split('#')[1]!

interface MethodsCardProps {
  /** Whether the person comes from a provider that could not be added. */
  linkingFailed: boolean
  change: LastChangeState
}

/** The providers that open the account: they can be added, and but for the last one removed. */
export function MethodsCard({ linkingFailed, change }: MethodsCardProps) {
  const { user } = useAuth()
  const methods = useMethods(() => change.note('methods'))
  const { last } = change
  const heading = useRef<HTMLHeadingElement>(null)
  // Emails, and the way back from a provider, lead here.
  useEffect(() => {
    if (linkingFailed || window.location.hash === `#${ID}`) heading.current?.focus()
  }, [linkingFailed])
  const linked = user?.identities.map(({ provider }) => provider) ?? []
  const words = questionWords(methods.question)
  return (
    <Card rows aria-labelledby={ID}>
      <CardHead
        id={ID}
        title="How you sign in"
        text="Each of these opens your account. With two, you still get in if you lose one."
        headingRef={heading}
      />
      {linkingFailed && (
        <div className={styles.failure}>
          <Alert problem="link_provider_failed">
            It was not added. Either the sign-in there was cancelled or took too long, or that
            account already opens another {site.name} account.
          </Alert>
        </div>
      )}
      {methods.error && !methods.question && (
        <div className={styles.failure}>
          <Alert problem="link_provider_failed">{methods.error}</Alert>
        </div>
      )}
      <ul role="list" className={styles.rows}>
        {providers.map((provider) => (
          <MethodRow
            key={provider}
            provider={provider}
            linked={linked.includes(provider)}
            last={linked.length === 1}
            busy={methods.busy}
            onAdd={() => void methods.add(provider)}
            onRemove={() => methods.ask({ kind: 'remove', provider })}
          />
        ))}
      </ul>
      {(last ? last.by === 'methods' : methods.added) && <OthersOffer key={last?.count} />}
      <ConfirmDialog
        open={methods.question !== null}
        {...words}
        busy={methods.busy}
        error={methods.error}
        onConfirm={() => void methods.confirm()}
        onClose={() => {
          methods.cancel()
          // The button that asked may have left with what was removed.
          focusIfLost(heading.current)
        }}
      />
    </Card>
  )
}

function questionWords(question: Question | null) {
  if (question?.kind === 'remove') {
    const name = titled(question.provider)
    return {
      title: `Remove ${name}?`,
      children: `Signing in with ${name} will no longer open this account. You can add it again later.`,
      action: 'Remove',
      busyAction: 'Removing...',
    }
  }
  return {
    title: 'Please sign in again first',
    children:
      'How you sign in can be changed for 15 minutes after signing in, so that nobody else can do it at your desk. You come back here.',
    action: 'Sign in again',
    busyAction: 'One moment...',
    destructive: false,
  }
}
