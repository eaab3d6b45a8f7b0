import type { CreditState } from './credit-state'
import styles from './credits-card.module.css'

const words: Record<CreditState['level'], string> = {
  none: '',
  calm: '',
  low: 'Running low',
  empty: 'Used up',
}

/** The share that is left, as a bar and as a number; ember, and a word, when it is little. */
export function CreditBar({ state, note }: { state: CreditState; note: string }) {
  const { percent, left, max, level } = state
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
          {words[level] && <span className={styles.warning}>{words[level]}</span>}
          {words[level] && note && ' · '}
          {note && <span>{note}</span>}
        </span>
        <span aria-hidden>{rounded}</span>
      </div>
    </div>
  )
}
