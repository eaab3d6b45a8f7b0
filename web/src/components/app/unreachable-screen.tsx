import { RetryButton } from '../retry-button'
import { NoticeScreen } from './notice-screen'

interface UnreachableScreenProps {
  retrying: boolean
  onRetry: () => void
  /** Whether the page has a header and a footer around it. */
  within?: boolean
}

/** Shown while the server does not answer, so that it is unknown who is signed in. The address of the page stays. */
export function UnreachableScreen({ retrying, onRetry, within }: UnreachableScreenProps) {
  return (
    <NoticeScreen
      title="We can't reach the server"
      text="Check your connection. Nothing is lost: this page goes on as soon as the server answers."
      within={within}
      announce
    >
      <RetryButton variant="primary" retrying={retrying} onRetry={onRetry} />
    </NoticeScreen>
  )
}
