import styles from './display.module.css'

/** An email address, which breaks before its domain where it has to. */
export function Address({ email }: { email: string }) {
  const at = Math.max(email.lastIndexOf('@'), 0)
  return (
    <bdi className={styles.address}>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </bdi>
  )
}
