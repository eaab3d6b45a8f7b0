import { highlightLines } from '@/lib/highlight/swift'
import styles from './file-tree.module.css'

const files = [
  { name: 'Habits', depth: 0, folder: true },
  { name: 'HabitsApp.swift', depth: 1 },
  { name: 'Models', depth: 1, folder: true },
  { name: 'Habit.swift', depth: 2, open: true },
  { name: 'Views', depth: 1, folder: true },
  { name: 'HabitsView.swift', depth: 2 },
  { name: 'StreakView.swift', depth: 2 },
  { name: 'Assets.xcassets', depth: 1 },
  { name: 'HabitsTests', depth: 0, folder: true },
  { name: 'StreakTests.swift', depth: 1 },
]

const source = `import Foundation

struct Habit: Identifiable, Codable {
  let id: UUID
  var name: String
  var days: Set<Date> = []

  func isDone(on day: Date) -> Bool {
    days.contains {
      Calendar.current
        .isDate($0, inSameDayAs: day)
    }
  }
}`

/** The files of a finished project, one of them open: ordinary Swift. */
export async function FileTree() {
  const html = (await highlightLines(source, 'swift')).join('\n')
  return (
    <figure className={styles.window} aria-label="An exported project with one Swift file open">
      <ul role="list" className={styles.tree}>
        {files.map(({ name, depth, folder, open }) => (
          <li key={name} data-depth={depth} data-open={open}>
            {folder ? <Folder /> : <File />}
            {name}
          </li>
        ))}
      </ul>
      <pre
        className={styles.source}
        translate="no"
        tabIndex={0}
        role="region"
        aria-label="Source of Habit.swift"
      >
        <code className="code" dangerouslySetInnerHTML={{ __html: html }} />
      </pre>
    </figure>
  )
}

function Folder() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="currentColor">
      <path d="M1 3.5A1.5 1.5 0 0 1 2.5 2h3.2l1.6 1.8h6.2A1.5 1.5 0 0 1 15 5.3v7.2a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 1 12.5z" />
    </svg>
  )
}

function File() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path
        d="M3.5 1.5h6l3 3v10h-9z M9.5 1.5v3h3"
        fill="none"
        stroke="currentColor"
        strokeLinejoin="round"
      />
    </svg>
  )
}
