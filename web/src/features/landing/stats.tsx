import styles from './stats.module.css'

const stats = [
  { figure: '10', label: 'apps created' },
  { figure: '100K+', label: 'lines of Swift' },
  { figure: '89%', label: 'success rate' },
  { figure: '10x', label: 'faster' },
]

/** Four figures on one long hairline. */
export function Stats() {
  return (
    <section id="stats" className={styles.stats} aria-label="Stats">
      <dl>
        {stats.map(({ figure, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
