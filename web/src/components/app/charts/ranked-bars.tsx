import styles from './ranked-bars.module.css'

interface RankedBarsProps {
  /** What the rows are, for those who do not see the heading beside them. */
  label: string
  rows: readonly { name: string; value: number }[]
  format: (value: number) => string
}

/** A row each with its name, its number and a bar in proportion to the largest. */
export function RankedBars({ label, rows, format }: RankedBarsProps) {
  const most = rows.reduce((max, { value }) => Math.max(max, value), 0)
  return (
    <ul role="list" aria-label={label} className={styles.ranks}>
      {rows.map(({ name, value }) => (
        <li key={name} className={styles.rank}>
          <div className={styles.line}>
            <span className={styles.name}>{name}</span>
            <span className={styles.value}>{format(value)}</span>
          </div>
          <div className={styles.track} aria-hidden>
            <div
              className={styles.bar}
              style={{ width: most === 0 ? 0 : `${(value / most) * 100}%` }}
            />
          </div>
        </li>
      ))}
    </ul>
  )
}
