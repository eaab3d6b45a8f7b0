'use client'

import { useState } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { site } from '@/config/site'
import { Display } from './display'
import styles from './display.module.css'
import { Downloads } from './downloads'
import { onHandheld, OpenOnMac } from './open-on-mac'
import { useConfetti } from './use-confetti'

/** In: a small celebration and one obvious button. */
export function Approved() {
  useConfetti()
  const [handheld] = useState(onHandheld)
  return (
    <Display title="You're an early adopter!" vanes={3}>
      <p>
        Thank you for being with us this early. You have access to {site.name} before everybody
        else, and what you tell us now shapes what it becomes.
      </p>
      {handheld && <OpenOnMac />}
      <PartBoundary>
        <Downloads />
      </PartBoundary>
      <p className={styles.small}>
        Requires macOS {site.minimumMacOS} or later. The app keeps itself up to date.
      </p>
    </Display>
  )
}
