import { Section, Title, Written } from './phone'
import styles from './screens.module.css'

/** What SplitView.swift renders, and what a tap on 20% makes of it. */
export function SplitScreen({ code }: { code: string }) {
  return (
    <>
      <Title code={code}>Split the bill</Title>
      <Section code={code} name="Bill">
        <Written code={code} by={'TextField("Bill"'} className={styles.row}>
          $84.00
        </Written>
        <Written code={code} by="Stepper(" className={styles.row}>
          3 people
          <span className={styles.stepper}>
            <span>−</span>
            <span>+</span>
          </span>
        </Written>
      </Section>
      <Section code={code} name="Tip">
        <Written code={code} by={'Picker("Tip"'} className={styles.picker}>
          <div className={styles.segments}>
            <span className={styles.thumb} />
            <span>10%</span>
            <span>15%</span>
            <span>20%</span>
          </div>
        </Written>
      </Section>
      <Section code={code} name="Each pays">
        <Written code={code} by="Text(share" className={styles.share}>
          <span className={styles.before}>$32.20</span>
          <span className={styles.after}>$33.60</span>
        </Written>
      </Section>
    </>
  )
}
