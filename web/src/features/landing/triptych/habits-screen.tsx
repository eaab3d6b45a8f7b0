import type { CSSProperties } from 'react'
import { Section, Switch, Title, Written } from './phone'
import { lineOf } from './scenes'
import styles from './screens.module.css'

const days = ['Mo', 'Tu', 'We', 'Th', 'Fr']
const done = [2, 3, 1, 3, 2]

/** What HabitsView.swift renders. */
export function HabitsScreen({ code }: { code: string }) {
  const barMark = lineOf(code, 'BarMark(')
  return (
    <div className={styles.orange}>
      <Title code={code}>Habits</Title>
      <Section code={code} name="This week">
        <Written code={code} by="Chart(" className={styles.chart}>
          <div className={styles.plot}>
            {done.map((count, index) => (
              <span
                key={days[index]}
                className={styles.bar}
                style={{ '--done': count, '--i': index, '--l': barMark } as CSSProperties}
              />
            ))}
          </div>
          <div className={styles.axis}>
            {[0, 1, 2, 3].map((value) => (
              <span key={value}>{value}</span>
            ))}
          </div>
          {days.map((day) => (
            <span key={day} className={styles.tick}>
              {day}
            </span>
          ))}
        </Written>
      </Section>
      <Section code={code} name="Today">
        {['Morning walk', 'Read ten pages', 'Drink water'].map((habit, index) => (
          <Written key={habit} code={code} by={`Toggle("${habit}"`} className={styles.row}>
            {habit}
            <Switch flips={index === 2} />
          </Written>
        ))}
      </Section>
    </div>
  )
}
