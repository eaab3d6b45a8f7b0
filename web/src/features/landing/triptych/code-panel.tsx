import { highlightLines } from '@/lib/highlight/swift'
import styles from './code-panel.module.css'

/** A file as the editor shows it; its lines appear one after the other. */
export async function CodePanel({ file, code }: { file: string; code: string }) {
  const lines = await highlightLines(code, 'swift')
  const html = lines.map((line, index) => `<span style=--l:${index}>${line}\n</span>`).join('')
  return (
    <div className={styles.panel}>
      <p className={styles.file}>
        <span>{file}</span>
      </p>
      <pre
        className={styles.code}
        translate="no"
        tabIndex={0}
        aria-label={`Swift source of ${file}`}
        role="region"
      >
        <code className="code" dangerouslySetInnerHTML={{ __html: html }} />
      </pre>
    </div>
  )
}
