import type { CreditState } from './credit-state'
import styles from './credits-card.module.css'

const words: Record<CreditState['level'], string> = {
  none: 'No credits yet',
  calm: '',
  low: 'Running low',
  // They may also have expired, or been taken back with a refund.
  empty: 'None left',
}

/** The share that is left, as a bar and as a number, and in a word where there is little or none. */
export function CreditBar({ state, note }: { state: CreditState; note: string }) {
  const { percent, left, max, level } = state
  const word = level === 'none' && note ? '' : words[level]
  const warns = level === 'low' || level === 'empty'
  const rounded = percent > 0 && percent < 1 ? '<1%' : `${Math.floor(percent)}%`
  return (
    <div className={styles.left}>
      <div
        role="progressbar"
        aria-labelledby="credits"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(percent)}
        aria-valuetext={`${left} of ${max}, ${rounded}`}
        className={styles.bar}
      >
        <div
          data-level={level}
          className={styles.share}
          style={{ width: `${percent}%`, minWidth: percent > 0 ? '0.5rem' : 0 }}
        />
      </div>
      <div className={styles.note}>
        <span>
          {word && <span className={warns ? styles.warning : ''}>{word}</span>}
          {note && <span>{word ? ` · ${note}` : note}</span>}
        </span>
        {level !== 'none' && <span aria-hidden>{rounded}</span>}
      </div>
    </div>
  )
}
