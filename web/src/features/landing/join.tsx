import { Mark } from '@/components/brand/mark'
import { WaitlistIsland } from '@/components/waitlist-form/waitlist-island'
import styles from './join.module.css'

/** The closing call with the second waitlist form. */
export function Join() {
  return (
    <section id="join" className={styles.join} aria-labelledby="join-title">
      <div className={styles.inner}>
        <Mark size={420} className={styles.mark} />
        <h2 id="join-title">What would you build, if you only had to say it?</h2>
        <p>Leave your email address. We write when your place in the beta is ready.</p>
        <WaitlistIsland source="cta_section" />
      </div>
    </section>
  )
}
