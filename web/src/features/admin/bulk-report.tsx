import { useRef } from 'react'
import { Button } from '@/components/button'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import styles from './bulk-report.module.css'
import type { BulkReport as Report } from './use-bulk'

interface BulkReportProps {
  /** Null for none. The live region exists before it, so that screen readers announce the report. */
  report: Report | null
  onDismiss: () => void
}

/** The result of a bulk change: counts and failures. It stays until it is dismissed. */
export function BulkReport({ report, onDismiss }: BulkReportProps) {
  return (
    <div role="status" aria-label="Result" className={styles.place}>
      {report && <Shown report={report} onDismiss={onDismiss} />}
    </div>
  )
}

function Shown({ report, onDismiss }: { report: Report; onDismiss: () => void }) {
  const { title, rest, failures } = report
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[role=tabpanel]'))
  return (
    <div ref={part} className={styles.report} data-failed={failures.length > 0 || undefined}>
      <div className={styles.head}>
        <p className={styles.title}>{title}</p>
        <Button variant="ghost" size="dense" data-event="dismiss_report" onClick={onDismiss}>
          Dismiss
        </Button>
      </div>
      {rest && <p className={styles.rest}>{rest}</p>}
      {failures.length > 0 && (
        <div role="region" aria-label="Failures" tabIndex={0} className={styles.failures}>
          <ul role="list">
            {failures.map(({ id, name, text }) => (
              <li key={id}>
                <span className={styles.name}>{name}</span> {text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
