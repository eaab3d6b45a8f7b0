import type { CSSProperties } from 'react'
import { Mark } from '@/components/brand/mark'
import styles from './prompt.module.css'

/** The sentence, typed letter by letter with a caret; words may wrap. */
export function Prompt({ text }: { text: string }) {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    word,
    style: { '--at': index, '--n': word.length } as CSSProperties,
  }))
  return (
    <p className={styles.prompt}>
      <Mark size={16} className={styles.mark} />
      <span className={styles.text}>
        {words.map(({ word, style }, index) => (
          <span key={index} className={styles.word} style={style}>
            <span className={styles.letters}>{word}</span>{' '}
          </span>
        ))}
      </span>
    </p>
  )
}
