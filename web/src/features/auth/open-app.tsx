import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { markPaths } from '@/components/brand/mark-paths'
import { Button } from '@/components/button'
import { site } from '@/config/site'
import styles from './open-app.module.css'

interface OpenAppProps {
  /** The address of the account that the app was given. */
  account: string
  open: () => void
  busy?: boolean
  /** Why the last try to open it failed. */
  error?: string | null
}

/** The success screen: the sign-in is done, and the app can be opened again. */
export function OpenApp({ account, open, busy = false, error = null }: OpenAppProps) {
  return (
    <NoticeScreen
      title="Authentication Successful!"
      text="You can now return to the app on your Mac"
      picture={<SignedInMac />}
      announce
    >
      <div className={styles.action}>
        <p className={styles.account}>Signed in as {account}</p>
        <Button data-event="open_app" onClick={open} pending={busy}>
          {busy ? `Opening ${site.name}...` : `Open ${site.name} on your Mac`}
        </Button>
        {error && <Alert problem="open_app_failed">{error}</Alert>}
        <p className={styles.help}>
          Nothing happened? Check your Mac: your browser may be asking for permission to open{' '}
          {site.name}. If it says that the address is invalid, {site.name} is not installed on this
          Mac.
        </p>
      </div>
    </NoticeScreen>
  )
}

/** A laptop with our mark on its screen: where the sign-in has gone. */
function SignedInMac() {
  return (
    <svg viewBox="0 0 120 80" className={styles.mac} aria-hidden>
      <path className={styles.lid} d="M24 6h72a6 6 0 0 1 6 6v50H18V12a6 6 0 0 1 6-6Z" />
      <path
        className={styles.base}
        d="M4 62h46q1 4 5 4h10q4 0 5-4h46v3a8 8 0 0 1-8 8H12a8 8 0 0 1-8-8Z"
      />
      <g transform="translate(44 18)">
        {markPaths.map((path) => (
          <path key={path} d={path} className={styles.mark} />
        ))}
      </g>
    </svg>
  )
}
