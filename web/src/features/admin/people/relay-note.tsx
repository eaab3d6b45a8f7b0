import { isRelayAddress } from '@/lib/relay-address'
import styles from './relay-note.module.css'

/** Tells staff that an address stands for another one, which nobody here knows. */
export function RelayNote({ email }: { email: string }) {
  return isRelayAddress(email) ? (
    <p className={styles.note}>Relay address: Apple hides their own</p>
  ) : null
}
