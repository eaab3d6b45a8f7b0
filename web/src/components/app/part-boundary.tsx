'use client'

import { Component, type ReactNode } from 'react'
import { RetryButton } from '../retry-button'
import { Alert } from './alert'
import styles from './load-failure.module.css'

interface PartBoundaryProps {
  /** Rendered instead of what failed; by default a message with a retry button. */
  fallback?: ReactNode
  /** When it changes, such as to newer data, the children are rendered again. */
  resetKey?: unknown
  children: ReactNode
}

/**
 * An error boundary around a part of a page (a card, a tab, a row, a dialog): if the part fails to render, the
 * fallback replaces it and the rest of the page keeps working.
 */
export class PartBoundary extends Component<PartBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidUpdate({ resetKey }: PartBoundaryProps) {
    if (this.state.failed && resetKey !== this.props.resetKey) this.setState({ failed: false })
  }

  override componentDidCatch(error: Error) {
    console.error('A part of the page could not be shown', error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return this.props.fallback ?? <NotShown onRetry={() => this.setState({ failed: false })} />
  }
}

/** The default fallback of an error boundary. */
export function NotShown({ onRetry }: { onRetry: () => void }) {
  return (
    <div className={styles.failure}>
      <Alert problem="part_failed">This part of the page could not be shown.</Alert>
      <RetryButton onRetry={onRetry} />
    </div>
  )
}
