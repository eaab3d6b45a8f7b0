import { providerButtons } from '@/components/app/provider-buttons/providers'
import { StatusBadge } from '@/components/app/status-badge'
import { Button } from '@/components/button'
import type { Provider } from '@/lib/api/types'
import { titled } from '@/lib/words'
import styles from './methods-card.module.css'

interface MethodRowProps {
  provider: Provider
  linked: boolean
  /** Whether only one provider is linked. */
  last: boolean
  busy: boolean
  onAdd: () => void
  onRemove: () => void
}

/** One provider, and adding or removing it. The last one stays: without it nobody could sign in. */
export function MethodRow({ provider, linked, last, busy, onAdd, onRemove }: MethodRowProps) {
  const { Logo } = providerButtons[provider]
  const name = titled(provider)
  return (
    <li className={styles.row}>
      <div className={styles.method}>
        <Logo />
        <span className={styles.name}>{name}</span>
        {linked && <StatusBadge tone="positive">Added</StatusBadge>}
      </div>
      {linked && last && <span className={styles.only}>Your only way to sign in</span>}
      {linked && !last && (
        <Button
          variant="secondary"
          size="dense"
          aria-disabled={busy}
          aria-label={`Remove ${name}`}
          data-event="ask_unlink_provider"
          onClick={onRemove}
        >
          Remove
        </Button>
      )}
      {!linked && (
        <Button
          variant="secondary"
          size="dense"
          aria-disabled={busy}
          aria-label={`Add ${name}`}
          data-event="link_provider"
          onClick={onAdd}
        >
          Add
        </Button>
      )}
    </li>
  )
}
