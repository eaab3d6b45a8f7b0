import { useEffect, useState } from 'react'
import styles from './still-trying.module.css'

/** Milliseconds after which a wait is long: the first try has failed, or the line is slow. */
const LONG_MS = 3000

/** Says of a long wait that it goes on: a failed read is tried three times more, for seven seconds. */
export function StillTrying({ waiting }: { waiting: boolean }) {
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
  return long ? 'Still trying…' : null
}
