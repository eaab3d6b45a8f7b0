import { Button } from './button'

interface RetryButtonProps {
  /** It is being tried again. */
  retrying?: boolean
  variant?: 'primary' | 'secondary'
  onRetry: () => void
}

/** What could not be done is tried again: `secondary` beside the words of a part, `primary` on a page. */
export function RetryButton({ retrying, variant = 'secondary', onRetry }: RetryButtonProps) {
  return (
    <Button
      variant={variant}
      size={variant === 'secondary' ? 'dense' : 'md'}
      pending={retrying}
      data-event="try_again"
      onClick={onRetry}
    >
      {retrying ? 'Retrying...' : 'Try again'}
    </Button>
  )
}
