import { useState } from 'react'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { copyText } from '@/lib/copy'
import { shareByDevice } from '@/lib/share'
import styles from './open-on-mac.module.css'

/** Whether this is a phone or a tablet; an iPad says that it is a Mac, but has no mouse of its own. */
export function onHandheld(): boolean {
  const mac = /\bMacintosh\b/.test(navigator.userAgent) && navigator.maxTouchPoints <= 1
  return !mac && window.matchMedia('(pointer: coarse)').matches
}

/** On a phone or a tablet: the app runs on a Mac, and this is the address to open there. */
export function OpenOnMac() {
  const [said, setSaid] = useState('')
  const url = window.location.origin + paths.closedBeta
  const shares = typeof navigator.share === 'function'

  const share = async () => {
    if (await shareByDevice({ title: `${site.name} closed beta`, url })) return
    // The address above can still be selected and copied by hand.
    setSaid((await copyText(url)) ? 'Link copied to clipboard!' : "The link couldn't be copied.")
  }

  return (
    <div className={styles.note}>
      <p>
        {site.name} runs on a Mac. Open this page there to download it:
        <span className={styles.address}>{url}</span>
      </p>
      <Button variant="secondary" data-event="share_link" onClick={() => void share()}>
        {shares ? 'Share the link' : 'Copy the link'}
      </Button>
      <p role="status" className={styles.said}>
        {said}
      </p>
    </div>
  )
}
