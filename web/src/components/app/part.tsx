'use client'

import { Component, type ReactNode } from 'react'
import { RetryButton } from '../retry-button'
import { Alert } from './alert'
import styles from './load-failure.module.css'

interface PartProps {
  /** Takes the place of what cannot be shown; by default a sentence and a way to try again. */
  fallback?: ReactNode
  /** When it changes, such as to what was loaded since, the part is tried again. */
  of?: unknown
  children: ReactNode
}

/**
 * An error boundary around a part of a page (a card, a tab, a row, a dialog): what fails to render is
 * replaced where it stands, and the rest of the page goes on.
 */
export class Part extends Component<PartProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidUpdate({ of }: PartProps) {
    if (this.state.failed && of !== this.props.of) this.setState({ failed: false })
  }

  override componentDidCatch(error: Error) {
    console.error('A part of the page could not be shown', error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return this.props.fallback ?? <NotShown onRetry={() => this.setState({ failed: false })} />
  }
}

/** Says that a part of a page could not be shown. */
export function NotShown({ onRetry }: { onRetry: () => void }) {
  return (
    <div className={styles.failure}>
      <Alert problem="part_failed">This part of the page could not be shown.</Alert>
      <RetryButton onRetry={onRetry} />
    </div>
  )
}
