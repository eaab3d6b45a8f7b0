import { useEffect, useState } from 'react'
import styles from './still-trying.module.css'

/** Milliseconds after which loading is slow: the first attempt has failed, or the network is slow. */
const LONG_MS = 3000

/** Says that slow loading is still going on: a failed query is retried three times within seven seconds. */
export function StillTrying({ waiting = true }: { waiting?: boolean }) {
  return (
    <p role="status" className={styles.still}>
      {waiting && <AfterAWhile />}
    </p>
  )
}

function AfterAWhile() {
  const [long, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  // An element: of a text that a translator has replaced, React would not find what to remove.
  return long ? <span>Still trying…</span> : null
}
