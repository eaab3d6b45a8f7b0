import { WaitlistIsland } from '@/components/waitlist-form/waitlist-island'
import { site } from '@/config/site'

import { Triptych } from './triptych/triptych'
import styles from './hero.module.css'

/** The promise, the first waitlist form and the triptych that shows the product at work. */
export function Hero() {
  return (
    <section className={styles.hero} aria-labelledby="hero-title">
      <div className={styles.promise}>
        <h1 id="hero-title">One sentence grows into a real iPhone app.</h1>
        <p className={styles.lead}>
          Say what it should do. {site.name} writes the Swift, sets up the data and builds each
          screen while you watch. No design skills, no developer, and the code is yours.
        </p>
        <WaitlistIsland source="hero_section" />
        <p className={styles.small}>Closed beta for Mac. We email you when your place is ready.</p>
      </div>
      <Triptych />
    </section>
  )
}
