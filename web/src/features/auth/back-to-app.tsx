import { Button } from '@/components/button'
import { leaveTo } from '@/lib/leave'

interface BackToAppProps {
  /** The app's link. */
  url: string
  variant?: 'primary' | 'secondary'
}

/** Opens the app, which is told what went wrong. */
export function BackToApp({ url, variant }: BackToAppProps) {
  return (
    <Button variant={variant} data-event="back_to_app" onClick={() => leaveTo(url)}>
      Back to the app on your Mac
    </Button>
  )
}
