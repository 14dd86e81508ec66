import Testing

@testable import SettleInspector

@Suite struct `Charts` {
    @Test func `of bars have one bar for each finite value, from zero on`() throws {
        let bars = [2.0, -1, 0, .nan, .infinity].map {
            BarChart.Bar(name: "<\($0)>", value: $0, shown: "\($0)")
        }
        let text = try #require(BarChart.drawing(bars, title: "t")).text
        #expect(text.matches(of: #/<rect /#).count == 3)
        #expect(text.matches(of: #/class="bar below"/#).count == 1)
        #expect(text.contains("&lt;2.0&gt;") && !text.contains("<2.0>"))
        #expect(BarChart.drawing([], title: "t") == nil)
    }

    @Test(arguments: [
        [0.0, 0], [1e308, -1e308], [.leastNonzeroMagnitude, 0], [1, 1],
        [Double.greatestFiniteMagnitude, 1],
    ]) func `of any numbers stay inside their frame`(values: [Double]) throws {
        let bars = values.map { BarChart.Bar(name: "n", value: $0, shown: "s") }
        let drawn = try #require(BarChart.drawing(bars, title: "t")).text
        for match in drawn.matches(of: #/width="([-0-9.]+)" height="16"/#) {
            #expect((0...400).contains(try #require(Double(match.1))))
        }
        let points = values.enumerated().map {
            LineChart.Point(place: Double($0.offset), value: $0.element)
        }
        let line = LineChart.drawing(points, title: "t", first: "", last: "", shown: { "\($0)" })
        for match in try #require(line).text.matches(of: #/cy="([-0-9.]+)"/#) {
            #expect((0...200).contains(try #require(Double(match.1))))
        }
    }

    @Test func `of shares fill the whole bar`() throws {
        let parts = [1, 2, 0, 5].map { ShareBar.Part(name: "\($0)", size: $0, shown: "") }
        let text = try #require(ShareBar.drawing(parts, title: "t")).text
        let widths = text.matches(of: #/width="([0-9.]+)" height="40" class/#).compactMap {
            Double($0.1)
        }
        #expect(widths.reduce(0, +) == 760)
        #expect(widths.count == 3)
        #expect(ShareBar.drawing([], title: "t") == nil)
    }

    @Test func `of graphs place what waits to the right of all that it waits for`() throws {
        let boxes = [
            GraphDrawing.Box(id: "c", name: "c", state: "", link: "/c", dependencies: ["a", "b"]),
            GraphDrawing.Box(id: "a", name: "a", state: "", link: "/a", dependencies: ["gone"]),
            GraphDrawing.Box(id: "b", name: "b", state: "", link: "/b", dependencies: ["a"]),
        ]
        let text = try #require(GraphDrawing.drawing(boxes, title: "t")).text
        let places = text.matches(of: #/<rect x="([0-9]+)"/#).compactMap { Int($0.1) }
        #expect(places.count == 3)
        #expect(places[1] < places[2] && places[2] < places[0])
        #expect(text.matches(of: #/class="arrow"/#).count == 3)
        for match in text.matches(of: #/x1="([0-9]+)"[^>]* x2="([0-9]+)"/#) {
            #expect(try #require(Int(match.1)) < #require(Int(match.2)))
        }
    }

    @Test func `of a circle end all the same`() {
        let boxes = ["a": "b", "b": "a"].map {
            GraphDrawing.Box(
                id: $0.key, name: "", state: "", link: "", dependencies: [$0.value])
        }
        #expect(GraphDrawing.drawing(boxes, title: "t") != nil)
    }

    @Test func `of histories have a line for each property`() throws {
        let entries = [("name", 1.0), ("age", 2), ("name", 3)].map {
            TimeLine.Entry(line: $0.0, place: $0.1, shown: "")
        }
        let text = try #require(TimeLine.drawing(entries, title: "t")).text
        #expect(text.matches(of: #/class="axis"/#).count == 2)
        #expect(text.matches(of: #/<circle /#).count == 3)
        #expect(TimeLine.drawing([], title: "t") == nil)
    }
}
