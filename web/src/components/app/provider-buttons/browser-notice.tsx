import { useState } from 'react'
import { copyText } from '@/lib/copy'
import { signInObstacle } from '@/lib/in-app-browser'
import { useHydrated } from '@/lib/use-hydrated'
import { Button } from '../../button'
import styles from './provider-buttons.module.css'

/** Says before the click why signing in cannot work in this browser, and what to do. */
export function BrowserNotice() {
  // The exported page does not know its browser.
  const hydrated = useHydrated()
  const [said, setSaid] = useState('')
  if (!hydrated) return null
  const obstacle = signInObstacle()
  if (!obstacle) return null
  if (obstacle === 'cookies') {
    return (
      <p className={styles.notice}>
        This browser blocks cookies, and signing in needs them. Allow them for this site, then
        reload the page.
      </p>
    )
  }

  const copy = async () => {
    const copied = await copyText(window.location.href)
    setSaid(
      copied
        ? 'Link copied. Paste it into your browser.'
        : "The link couldn't be copied. Use the app's menu to open this page in your browser.",
    )
  }
  return (
    <div className={styles.notice}>
      <p>
        You are in the browser of {obstacle.app}, where Google refuses to sign anybody in. Open this
        page in your own browser, such as Safari or Chrome.
      </p>
      <Button variant="secondary" size="dense" data-event="copy_link" onClick={() => void copy()}>
        Copy link
      </Button>
      <p role="status" className={styles.said}>
        {said}
      </p>
    </div>
  )
}
