import { NETWORK_ERROR, problemText } from '@/lib/api/problem'
import { RetryButton } from '../retry-button'
import { Alert } from './alert'
import styles from './load-failure.module.css'

interface LoadFailureProps {
  error: unknown
  /** The message to show when the server sent none. */
  message: string
  retrying: boolean
  onRetry: () => void
}

/** Says why something could not be loaded, with a retry button. */
export function LoadFailure({ error, message, retrying, onRetry }: LoadFailureProps) {
  return (
    <div className={styles.failure}>
      <Alert problem="load_failed">{problemText(error, message, NETWORK_ERROR)}</Alert>
      <RetryButton retrying={retrying} onRetry={onRetry} />
    </div>
  )
}
