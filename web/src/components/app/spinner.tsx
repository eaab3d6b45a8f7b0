import styles from './spinner.module.css'

/** Something is under way; the words that say what stand beside it. */
export function Spinner({ size = '1.75rem' }: { size?: string }) {
  return <span aria-hidden className={styles.spinner} style={{ width: size, height: size }} />
}
