import styles from './design-system.module.css'

const tints = [
  { id: 'ember', label: 'Ember', value: '#C2410C' },
  { id: 'fern', label: 'Fern', value: '#2F6B45' },
  { id: 'lake', label: 'Lake', value: '#245C8A' },
]

/** One token and the controls that obey it. Radio inputs and CSS; choosing is real. */
export function DesignSystem() {
  return (
    <figure className={styles.picture} aria-label="A colour token and the controls that use it">
      <fieldset className={styles.tokens}>
        <legend>Tint</legend>
        {tints.map(({ id, label, value }, index) => (
          <label key={id} className={styles.token}>
            <input type="radio" name="tint" value={id} defaultChecked={index === 0} />
            <span className={styles.swatch} data-tint={id} aria-hidden="true" />
            <span className={styles.name}>{label}</span>
            <code className={styles.value}>{value}</code>
          </label>
        ))}
      </fieldset>
      <div className={styles.sample} aria-hidden="true">
        <span className={styles.button}>Save habit</span>
        <span className={styles.outline}>Not now</span>
        <span className={styles.row}>
          Remind me
          <span className={styles.switch} />
        </span>
        <span className={styles.row}>
          <span className={styles.track} />
        </span>
      </div>
    </figure>
  )
}
