import type { CSSProperties } from 'react'
import { Section, Switch, Title, Written } from './phone'
import styles from './screens.module.css'

/** What PlantsView.swift renders. */
export function PlantsScreen({ code }: { code: string }) {
  return (
    <div className={styles.green}>
      <Title code={code}>Plants</Title>
      <Section code={code} name="Thirsty">
        <Plant code={code} name="Monstera" room="Hall" water={0.1} />
        <Plant code={code} name="Fern" room="Bathroom" water={0.2} />
      </Section>
      <Section code={code} name="Happy">
        <Plant code={code} name="Aloe" room="Kitchen" water={0.9} />
      </Section>
      <Section code={code}>
        <Written code={code} by={'Toggle("Remind me"'} className={styles.row}>
          Remind me
          <Switch flips />
        </Written>
      </Section>
    </div>
  )
}

interface PlantProps {
  code: string
  name: string
  room: string
  water: number
}

function Plant({ code, name, room, water }: PlantProps) {
  return (
    <Written code={code} by={`plant("${name}"`} className={styles.plant}>
      <svg viewBox="0 0 20 20" width="18" height="18" className={styles.leaf}>
        <path d="M17.6 3.2C9.4 2.4 3 5.4 3 11.2c0 1.4.4 2.5 1 3.4 2-3.6 5-5.8 9-6.8-3.4 1.8-6 4.4-7.8 8.2l-.7 1.8 1.4.5.7-1.7c.9.5 2 .7 3.1.7 5.4 0 8.3-5.2 7.9-14.1Z" />
      </svg>
      <span>
        {name}
        <span className={styles.caption}>{room}</span>
      </span>
      <span className={styles.progress}>
        <span className={styles.level} style={{ '--water': water } as CSSProperties} />
      </span>
    </Written>
  )
}
