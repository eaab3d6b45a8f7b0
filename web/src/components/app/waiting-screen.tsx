import { site } from '@/config/site'
import { Spinner } from './spinner'
import { StillTrying } from './still-trying'
import styles from './waiting-screen.module.css'

/** A wait with its reason, over the whole page or over the space that is left. */
export function WaitingScreen({ text, fill = '100dvh' }: { text: string; fill?: string }) {
  return (
    <main id="main" className={styles.waiting} style={{ minHeight: fill }}>
      <h1 className="visually-hidden">{site.name}</h1>
      <Spinner />
      <p role="status" className={styles.reason}>
        {text}
      </p>
      <StillTrying />
    </main>
  )
}
