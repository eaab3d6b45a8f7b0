import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

/** A reporter for flaky tests: writes those that passed only on a retry to the file that FLEDGE_RETRIED names. */
export default class Retried implements Reporter {
  onTestEnd(test: TestCase, result: TestResult) {
    const file = process.env.FLEDGE_RETRIED
    if (!file || result.status !== 'passed' || result.retry === 0) return
    appendFileSync(
      file,
      `e2e ${relative(import.meta.dirname, test.location.file)} > ${test.title}\n`,
    )
  }
}
