import styles from './prose.module.css'

/** Long text from the build-time renderer, which has sanitised `html`. */
export function Prose({ html }: { html: string }) {
  return <div className={styles.prose} dangerouslySetInnerHTML={{ __html: html }} />
}
