/** One idea of the hero: what a person types, the file that Fledge writes, the screen it gives. */
export interface Scene {
  id: 'habits' | 'plants' | 'split'
  /** Label of the chip that chooses the scene. */
  chip: string
  prompt: string
  file: string
  /** The whole file. It compiles as it stands and renders the screen drawn beside it. */
  code: string
  /** What the finished screen shows, for those who cannot see it. */
  screen: string
}

const habits = String.raw`import Charts
import SwiftUI

struct HabitsView: View {
  @State private var walk = true
  @State private var read = true
  @State private var water = false

  let days = ["Mo", "Tu", "We", "Th", "Fr"]
  let done = [2, 3, 1, 3, 2]

  var body: some View {
    NavigationStack {
      List {
        Section("This week") {
          Chart(0..<5, id: \.self) { day in
            BarMark(x: .value("Day", days[day]),
                    y: .value("Done", done[day]))
              .foregroundStyle(.orange)
          }
          .frame(height: 180)
        }
        Section("Today") {
          Toggle("Morning walk", isOn: $walk)
          Toggle("Read ten pages", isOn: $read)
          Toggle("Drink water", isOn: $water)
        }
      }
      .navigationTitle("Habits")
    }
    .tint(.orange)
  }
}`

const plants = String.raw`import SwiftUI

struct PlantsView: View {
  @State private var remind = false

  func plant(_ name: String, _ room: String,
             water: Double) -> some View {
    HStack {
      Image(systemName: "leaf.fill")
        .foregroundStyle(.green)
      VStack(alignment: .leading) {
        Text(name)
        Text(room).font(.caption)
      }
      ProgressView(value: water)
    }
  }

  var body: some View {
    NavigationStack {
      List {
        Section("Thirsty") {
          plant("Monstera", "Hall", water: 0.1)
          plant("Fern", "Bathroom", water: 0.2)
        }
        Section("Happy") {
          plant("Aloe", "Kitchen", water: 0.9)
        }
        Toggle("Remind me", isOn: $remind)
      }
      .navigationTitle("Plants")
    }
    .tint(.green)
  }
}`

const split = String.raw`import SwiftUI

struct SplitView: View {
  @State private var bill = 84.0
  @State private var people = 3
  @State private var tip = 15

  var share: Double {
    bill * Double(100 + tip) / 100 / Double(people)
  }

  var body: some View {
    NavigationStack {
      Form {
        Section("Bill") {
          TextField("Bill", value: $bill,
                    format: .currency(code: "USD"))
          Stepper("\(people) people",
                  value: $people, in: 1...12)
        }
        Section("Tip") {
          Picker("Tip", selection: $tip) {
            ForEach([10, 15, 20], id: \.self) {
              Text("\($0)%")
            }
          }
          .pickerStyle(.segmented)
        }
        Section("Each pays") {
          Text(share, format: .currency(code: "USD"))
            .font(.largeTitle.bold())
        }
      }
      .navigationTitle("Split the bill")
    }
  }
}`

export const scenes: readonly [Scene, Scene, Scene] = [
  {
    id: 'habits',
    chip: 'Habit tracker',
    prompt: 'A habit tracker with a weekly chart',
    file: 'HabitsView.swift',
    code: habits,
    screen:
      'The finished Habits screen: a bar chart of this week and three switches for today, all on.',
  },
  {
    id: 'plants',
    chip: 'Plant care',
    prompt: 'Show me which plants are thirsty today',
    file: 'PlantsView.swift',
    code: plants,
    screen:
      'The finished Plants screen: Monstera and Fern are thirsty, Aloe is happy, reminders are on.',
  },
  {
    id: 'split',
    chip: 'Split the bill',
    prompt: 'Split a dinner bill, with a tip',
    file: 'SplitView.swift',
    code: split,
    screen:
      'The finished Split the bill screen: 84 dollars, three people, 20 percent tip, each pays $33.60.',
  },
]

/** Zero-based number of the first line of `code` that contains `fragment`; throws when none does. */
export function lineOf(code: string, fragment: string): number {
  const line = code.split('\n').findIndex((text) => text.includes(fragment))
  if (line < 0) throw new Error(`no line of the scene contains ${JSON.stringify(fragment)}`)
  return line
}
