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
      <span className={styles.leaf} />
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
