import { site } from '@/config/site'

import { DesignSystem } from './design-system'
import { FileTree } from './file-tree'
import { SchemaTable } from './schema-table'
import styles from './features.module.css'

const features = [
  {
    title: 'Native Swift, and it is yours',
    text: 'Every screen is SwiftUI in a plain Xcode project: no wrapper, no runtime of ours inside. Open it in your editor, read it, change it, keep it.',
    Picture: FileTree,
  },
  {
    title: 'A database that follows the idea',
    text: `Mention something worth remembering and the schema grows to hold it. ${site.name} writes the migration and runs it in your own backend, with your own keys.`,
    Picture: SchemaTable,
  },
  {
    title: 'A design system, built in',
    text: 'Colour, type and spacing are tokens from the first screen. Change one and every button in the app agrees.',
    Picture: DesignSystem,
  },
]

/** Three features, each beside a small true picture of itself. */
export function Features() {
  return (
    <section id="features" className={styles.features} aria-labelledby="features-title">
      <h2 id="features-title">What grows out of your sentence</h2>
      {features.map(({ title, text, Picture }) => (
        <article key={title} className={styles.feature}>
          <div className={styles.text}>
            <h3>{title}</h3>
            <p>{text}</p>
          </div>
          <Picture />
        </article>
      ))}
    </section>
  )
}
