import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { RetryButton } from '../retry-button'
import { Alert } from './alert'
import styles from './load-failure.module.css'

interface LoadFailureProps {
  error: unknown
  /** What to say where the server has no words of its own. */
  wordless: string
  retrying: boolean
  onRetry: () => void
}

/** Something could not be read: why, and a way to try again. */
export function LoadFailure({ error, wordless, retrying, onRetry }: LoadFailureProps) {
  return (
    <div className={styles.failure}>
      <Alert problem="load_failed">{problemText(error, wordless, NETWORK_ERROR)}</Alert>
      <RetryButton retrying={retrying} onRetry={onRetry} />
    </div>
  )
}
