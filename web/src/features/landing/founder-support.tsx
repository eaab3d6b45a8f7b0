import { site } from '@/config/site'
import styles from './founder-support.module.css'

const cards = [
  {
    title: 'You write to the people who build it',
    text: 'No ticket maze and no script. The person who answers you can open the code and fix what you found.',
  },
  {
    title: 'Your first app, side by side',
    text: 'Tell us the idea before you start. We help you cut it down to the version worth building first, and stay until it runs on your iPhone.',
  },
  {
    title: 'Through App Store review',
    text: 'Icons, privacy labels, screenshots, the note to the reviewer: we go through the list with you before you submit.',
  },
  {
    title: 'A say in what comes next',
    text: 'What beta testers ask for decides what we build, and we tell you plainly when the answer is no.',
  },
]

/** What the team promises to early users. */
export function FounderSupport() {
  return (
    <section id="support" className={styles.support} aria-labelledby="support-title">
      <div className={styles.intro}>
        <h2 id="support-title">Support from the founders, directly</h2>
        <p>
          {site.name} is young, and so is its team. There is no better time to have us on the other
          end of the line.
        </p>
        <p className={styles.signed}>The {site.name} team</p>
        <a className={styles.write} href={`mailto:${site.emails.support}`}>
          <span>Write to us</span> {site.emails.support}
        </a>
      </div>
      <ul role="list" className={styles.cards}>
        {cards.map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
